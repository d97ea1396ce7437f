"""What a node can ask about the run that it is part of."""
from langchain_core.runnables.config import var_child_runnable_config


def get_config():
    config = var_child_runnable_config.get()
    if config is None:
        raise RuntimeError("Called get_config outside of a runnable context")
    return config


def get_stream_writer():
    return get_config()["configurable"]["__pregel_runtime"].stream_writer
