using Broker.ZeroMq.Loops;
using Broker.ZeroMq.Tests.Sockets;

namespace Broker.ZeroMq.Tests.Patterns;

/// <summary>A full peer signals room when half of its mark is free, and not only when its queue is empty.</summary>
public sealed class LowWaterTests
{
    // Half of this is more than a kernel accepts at once.
    private const int Mark = 400;
    private const int Size = 64 * 1024;

    public static TheoryData<RigTransport> Transports => Rig.SystemTransports;

    [Theory]
    [MemberData(nameof(Transports))]
    public async Task A_push_is_notified_of_room_when_half_of_its_mark_is_free(RigTransport transport)
    {
        await using var rig = new Rig(transport);
        LoopPush push = rig.Push(o => o with { SendHighWaterMark = Mark, SendHighWaterBytes = 64 << 20 });
        using RawPeer slow = new RawPeer(push.Bind(rig.AnyPort)).Handshake("PULL");
        await rig.ConnectedOnceAsync(1);
        byte[] body = new byte[Size];
        var rooms = new Inbox<long>();
        await rig.DoAsync(() => push.OnWritable = () => rooms.Add(push.Peers.Single().PendingBytes));
        for (int quiet = 0; quiet < 20; quiet++)
        {
            if (await rig.OnLoopAsync(() => push.TrySend(body)))
            {
                quiet = 0;
            }
            else
            {
                await Task.Delay(10, TestContext.Current.CancellationToken);
            }
        }

        List<long> told = rooms.TakeAll();
        long full = await rig.OnLoopAsync(() => push.Peers.Single().PendingBytes);
        for (long read = 0; told.Count == 0; read += Size)
        {
            Assert.True(read < full + (64 << 20), "all was read, and nobody told of room");
            slow.Read(Size);
            await rig.DoAsync(() => told.AddRange(rooms.TakeAll()));
        }

        Assert.All(told, waited => Assert.InRange(waited, 1, ((Mark / 2) + (Mark / 8)) * (long)Size));
    }
}
