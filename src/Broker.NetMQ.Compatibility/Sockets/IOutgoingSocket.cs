namespace NetMQ;

/// <summary>Something that sends frames. <see cref="OutgoingSocketExtensions"/> has the convenient forms.</summary>
public interface IOutgoingSocket
{
    /// <summary>Sends a frame if there is room within the timeout.</summary>
    /// <param name="msg">The frame. After a success it is empty, otherwise it is unchanged.</param>
    /// <param name="timeout">How long to wait for room; a negative value waits without a limit.</param>
    /// <param name="more">Whether more frames of the same message follow.</param>
    /// <returns>False if there was no room.</returns>
    bool TrySend(ref Msg msg, TimeSpan timeout, bool more);
}
