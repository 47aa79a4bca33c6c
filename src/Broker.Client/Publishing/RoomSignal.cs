using System.Runtime.CompilerServices;
using Broker.Transport;

namespace Broker.Client.Publishing;

/// <summary>
/// Tells who was refused for want of room when there is some again: always, once an episode, unless the connection closes.
/// </summary>
internal sealed class RoomSignal(ConnectionCore core)
{
    private readonly long _limit = core.Options.MaxPendingBytes;

    // 1 from a refusal to the telling.
    private int _isWanted;

    // Completed when there is room; null while nobody waits.
    private TaskCompletionSource? _room;

    /// <summary>The mark of <see cref="ConnectionHandler.OnLowWater"/>.</summary>
    internal long LowWater => Math.Max(1, _limit / 2);

    /// <summary>
    /// Whether nothing has changed since a refusal of which somebody will be told: a publisher that tries on and on must not hold up
    /// those who send by taking the gate each time.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal bool IsStillFull(int size) => Volatile.Read(ref _isWanted) != 0 && IsFull(size);

    /// <summary>What this loop has written counts too, and leaves only at the end of its turn. On that loop.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    internal PublishStatus RefuseOnLoop(EventLoop loop)
    {
        // Looked at before it is taken: a publisher that tries on and on must not pay for a locked instruction each time.
        if (Volatile.Read(ref _isWanted) == 0 && Interlocked.Exchange(ref _isWanted, 1) == 0)
        {
            // Without a server the next one tells.
            OutboundAccount.AfterHandOver(loop, () => core.Link?.Transport.RequestLowWater());
        }

        return PublishStatus.PendingLimit;
    }

    /// <summary>Under the gate.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    internal PublishStatus RefuseExternally(Connection transport)
    {
        if (Interlocked.Exchange(ref _isWanted, 1) == 0)
        {
            transport.FlushExternal();
            transport.RequestLowWater();
        }

        return PublishStatus.PendingLimit;
    }

    /// <summary>Without a server there is room again with the next one. Under the gate.</summary>
    internal PublishStatus RefuseToKeep()
    {
        Volatile.Write(ref _isWanted, 1);
        return PublishStatus.BufferFull;
    }

    /// <summary>So much has left that writers may go on. On the loop.</summary>
    internal void Tell()
    {
        // Before they are told: who is refused from now on asks again.
        Volatile.Write(ref _isWanted, 0);
        WakeWriters();
        core.Events.TellWritable();
    }

    /// <summary>There is another server. On the loop.</summary>
    internal void TellIfWanted()
    {
        if (Volatile.Read(ref _isWanted) != 0)
        {
            Tell();
        }
    }

    /// <summary>Completes when there is room, or the connection has ended.</summary>
    internal Task WhenRoomAsync()
    {
        lock (core.Gate)
        {
            return (_room ??= new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously)).Task;
        }
    }

    internal void WakeWriters()
    {
        TaskCompletionSource? room;
        lock (core.Gate)
        {
            room = _room;
            _room = null;
        }

        room?.TrySetResult();
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool IsFull(int size) => core.Link is { } link && link.Transport.PendingBytes + size > _limit;
}
