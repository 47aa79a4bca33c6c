using Broker.Transport;

namespace Broker.Server.Sessions;

/// <summary>
/// How long a client may take to come in, and what happens meanwhile: nothing of what it sends but CONNECT is looked at, and while it is
/// decided about that it is not read. On the connection's loop.
/// </summary>
internal sealed class Admission(ClientChannel channel)
{
    private LoopTimer? _deadline;
    private int _kept;

    /// <summary>Whether the client is not in yet.</summary>
    internal bool IsPending { get; private set; }

    /// <summary>Whether it waits for what comes of a CONNECT, the first or a later one.</summary>
    internal bool IsDeciding { get; private set; }

    internal void Begin() => IsPending = true;

    /// <summary>Its time begins.</summary>
    internal void StartDeadline(TimeSpan patience, Action onLate) => _deadline ??= channel.Loop.StartTimer(patience, onLate);

    /// <summary>Reads no more of it until <see cref="EndDecision"/>; whoever ends it resumes.</summary>
    internal void BeginDecision(TimeSpan patience, Action onLate)
    {
        StartDeadline(patience, onLate);
        Hold();
    }

    /// <summary>As <see cref="BeginDecision"/>, where nobody but the loop is waited for.</summary>
    internal void Hold()
    {
        IsDeciding = true;
        channel.Connection.PauseReceiving();
    }

    /// <summary>Counts what the connection keeps until it is decided. False when that is too much together with all others'.</summary>
    internal bool TryKeep(int bytes)
    {
        if (!channel.Server.UndecidedBytes.TryAdd(bytes))
        {
            return false;
        }

        _kept += bytes;
        return true;
    }

    /// <summary>It is decided, or nobody waits for it: what was kept no longer counts.</summary>
    internal void EndDecision()
    {
        IsDeciding = false;
        channel.Server.UndecidedBytes.Add(-_kept);
        _kept = 0;
    }

    /// <summary>It is over: the client is in, or gone.</summary>
    internal void End()
    {
        _deadline?.Cancel();
        _deadline = null;
        IsPending = false;
        EndDecision();
    }
}
