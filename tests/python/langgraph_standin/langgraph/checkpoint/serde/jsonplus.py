"""How values that are no JSON are stored."""
import json

import langchain_core.messages


class JsonPlusSerializer:
    def dumps_typed(self, obj):
        if isinstance(obj, bytes):
            return "bytes", obj
        if isinstance(obj, langchain_core.messages.BaseMessage):
            return "message", json.dumps([type(obj).__name__, vars(obj)]).encode()
        if type(obj).__module__ == "langgraph.types":
            return "types", json.dumps([type(obj).__name__, vars(obj)]).encode()
        return "json", json.dumps(obj).encode()

    def loads_typed(self, data):
        kind, text = data
        if kind == "bytes":
            return text
        read = json.loads(text)
        if kind == "json":
            return read
        if kind == "message":
            return getattr(langchain_core.messages, read[0])(**read[1])
        import langgraph.types  # pylint: disable=import-outside-toplevel
        return getattr(langgraph.types, read[0])(**read[1])
