namespace NetMQ;

/// <summary>A socket whose members may be called on any thread at any time. Its messages have one frame.</summary>
public interface IThreadSafeSocket
{
    /// <summary>Sends a message. It is empty afterwards, unless the result is false.</summary>
    /// <param name="msg">The message.</param>
    /// <param name="timeout">How long to wait for room; a negative value has no limit.</param>
    /// <returns>False if there was no room in time.</returns>
    bool TrySend(ref Msg msg, TimeSpan timeout);

    /// <summary>Receives a message into an initialised one.</summary>
    /// <param name="msg">The message.</param>
    /// <param name="timeout">How long to wait; a negative value has no limit.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <returns>False if there was none in time.</returns>
    bool TryReceive(ref Msg msg, TimeSpan timeout, CancellationToken cancellationToken = default);
}
