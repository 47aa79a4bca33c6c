using System.Runtime.CompilerServices;
using Broker.Client.Publishing;
using Broker.Transport;

namespace Broker.Client;

// Who was refused for want of room is told when there is some again: always, once an episode, unless the connection closes.
public sealed partial class BrokerConnection
{
    // How often it is looked after room where no event says that there is some.
    private static readonly TimeSpan RoomLook = TimeSpan.FromMilliseconds(2);

    // 1 from a refusal to the telling.
    private int _wantsRoom;

    /// <summary>The queue is empty after the server had held it up. On the loop.</summary>
    internal void TakeDrained()
    {
        Volatile.Write(ref _wantsRoom, 0);
        WakeWriters();
        Tell(Options.OnWritable + Writable);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private PublishStatus RefuseForRoom(EventLoop loop)
    {
        // Looked at before it is taken: a publisher that tries on and on must not pay for a locked instruction each time.
        if (Volatile.Read(ref _wantsRoom) == 0 && Interlocked.Exchange(ref _wantsRoom, 1) == 0)
        {
            // What was refused because of bytes that leave at the end of this turn is never held up, and no event follows.
            AfterHandOver(loop, () => Loop.Run(LookForRoom));
        }

        return PublishStatus.PendingLimit;
    }

    private void LookForRoom()
    {
        // Without a server it is told by the next one.
        if (Volatile.Read(ref _wantsRoom) == 0 || _link is not { } link)
        {
            return;
        }

        long waiting = link.Transport.PendingBytes + link.Transport.ExternalStage.Length;
        if (waiting <= Options.MaxPendingBytes / 2)
        {
            TellRoom();
        }
        else
        {
            Loop.StartTimer(RoomLook, LookForRoom);
        }
    }

    // On the loop.
    private void TellRoom()
    {
        if (Interlocked.Exchange(ref _wantsRoom, 0) == 1)
        {
            WakeWriters();
            Tell(Options.OnWritable + Writable);
        }
    }
}
