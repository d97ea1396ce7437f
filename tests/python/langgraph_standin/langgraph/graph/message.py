"""The state of a chat."""
import uuid
from typing import Annotated, TypedDict

from langchain_core.messages import RemoveMessage, convert_to_messages


def add_messages(left, right):
    """Appends; a message with a known id replaces, or removes."""
    found = {}
    for message in convert_to_messages(left) + convert_to_messages(right):
        message.id = message.id or str(uuid.uuid4())
        if isinstance(message, RemoveMessage):
            del found[message.id]
        else:
            found[message.id] = message
    return list(found.values())


class MessagesState(TypedDict):
    messages: Annotated[list, add_messages]
