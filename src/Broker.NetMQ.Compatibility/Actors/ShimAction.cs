using NetMQ.Sockets;

namespace NetMQ;

/// <summary>The code that an actor runs on its own thread; see <see cref="IShimHandler.Run"/>.</summary>
public delegate void ShimAction(PairSocket shim);
