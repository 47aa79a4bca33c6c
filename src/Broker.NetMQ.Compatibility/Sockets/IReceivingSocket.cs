namespace NetMQ;

/// <summary>Something that receives frames. <see cref="ReceivingSocketExtensions"/> has the convenient forms.</summary>
public interface IReceivingSocket
{
    /// <summary>Receives a frame if one arrives within the timeout.</summary>
    /// <param name="msg">The initialised frame to receive into. What it had before is closed.</param>
    /// <param name="timeout">How long to wait; a negative value waits without a limit.</param>
    /// <returns>False if no frame arrived; the frame is then empty.</returns>
    bool TryReceive(ref Msg msg, TimeSpan timeout);
}
