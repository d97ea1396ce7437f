"""Messages of a chat."""


class BaseMessage:
    type = "base"

    def __init__(self, content, id=None):
        self.content, self.id = content, id

    def __eq__(self, other):
        return type(self) is type(other) and vars(self) == vars(other)

    def __repr__(self):
        return f"{type(self).__name__}({self.content!r}, id={self.id!r})"


class HumanMessage(BaseMessage):
    type = "human"


class AIMessage(BaseMessage):
    type = "ai"


class RemoveMessage(BaseMessage):
    type = "remove"


KINDS = {"user": HumanMessage, "human": HumanMessage, "assistant": AIMessage, "ai": AIMessage}


def convert_to_messages(given):
    """Messages of messages, of ("user", text), of {"role", "content"} and of texts."""
    made = []
    for one in given if isinstance(given, list) else [given]:
        if isinstance(one, str):
            one = HumanMessage(one)
        elif isinstance(one, dict):
            one = KINDS[one["role"]](one["content"], one.get("id"))
        elif isinstance(one, tuple):
            one = KINDS[one[0]](one[1])
        made.append(one)
    return made
