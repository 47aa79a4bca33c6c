using NetMQ.Sockets;

namespace NetMQ;

/// <summary>The code that an actor runs on its own thread, with an object of the program.</summary>
/// <typeparam name="T">The type of the object.</typeparam>
public delegate void ShimAction<T>(PairSocket shim, T state);
