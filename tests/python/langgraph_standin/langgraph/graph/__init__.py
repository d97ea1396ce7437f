"""Graphs."""
from .message import MessagesState, add_messages
from .state import END, START, CompiledStateGraph, StateGraph

__all__ = ["END", "START", "CompiledStateGraph", "MessagesState", "StateGraph", "add_messages"]
