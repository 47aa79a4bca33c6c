using NetMQ.Sockets;

namespace NetMQ;

/// <summary>The code that an actor runs on its own thread.</summary>
public interface IShimHandler
{
    /// <summary>
    /// Runs until the program disposes the actor: the socket then receives
    /// <see cref="NetMQActor.EndShimMessage"/>. The method must first call
    /// <see cref="OutgoingSocketExtensions.SignalOK"/>, for which the creation of the actor waits.
    /// </summary>
    /// <param name="shim">The socket to the program. The actor disposes it.</param>
    void Run(PairSocket shim);
}
