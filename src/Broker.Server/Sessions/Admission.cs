using Broker.Transport;

namespace Broker.Server;

/// <summary>
/// The state of a client before it is authenticated. Until then only CONNECT is accepted, and while a CONNECT is being
/// verified the server does not read from the client. Runs on the connection's loop.
/// </summary>
internal sealed class Admission(ClientChannel channel)
{
    // The maximum number of buffered received bytes of a client that is not authenticated, unless a control line may be
    // longer.
    private const int MaxReceivedBytes = 8 * 1024;

    private LoopTimer? _deadline;
    private int _countedBytes;

    /// <summary>Whether the client is not authenticated yet.</summary>
    internal bool IsPending { get; private set; }

    /// <summary>Whether a CONNECT, the first or a later one, is being verified.</summary>
    internal bool IsVerifying { get; private set; }

    internal void Begin()
    {
        IsPending = true;
        channel.Connection.MaxReadBytes = MaxReceivedBytes;
    }

    /// <summary>Starts the timer for authentication, unless it runs already.</summary>
    internal void StartDeadline(TimeSpan timeout, Action onTimeout)
        => _deadline ??= channel.Loop.StartTimer(timeout, onTimeout);

    /// <summary>
    /// Starts the timer and pauses receiving. The caller of <see cref="EndVerification"/> resumes receiving.
    /// </summary>
    internal void BeginVerification(TimeSpan timeout, Action onTimeout)
    {
        StartDeadline(timeout, onTimeout);
        Pause();
    }

    /// <summary>
    /// Pauses receiving without a timer, for a decision that only needs further iterations of the loop.
    /// </summary>
    internal void Pause()
    {
        IsVerifying = true;
        channel.Connection.PauseReceiving();
    }

    /// <summary>
    /// Counts bytes that the connection buffers during the verification. Returns false if the budget for all clients is
    /// exceeded.
    /// </summary>
    internal bool TryCountBytes(int bytes)
    {
        if (!channel.Server.AuthenticationBytes.TryAdd(bytes))
        {
            return false;
        }

        _countedBytes += bytes;
        return true;
    }

    /// <summary>Ends or cancels the verification, and releases the counted bytes.</summary>
    internal void EndVerification()
    {
        IsVerifying = false;
        channel.Server.AuthenticationBytes.Add(-_countedBytes);
        _countedBytes = 0;
    }

    /// <summary>Ends the admission: the client is authenticated, or its connection is closed.</summary>
    internal void End()
    {
        _deadline?.Cancel();
        _deadline = null;
        IsPending = false;
        channel.Connection.MaxReadBytes = 0;
        EndVerification();
    }
}
