using System.Net;

namespace Broker.Transport.Tests.Outbound;

/// <summary>A connection to a peer that accepts as many bytes as the test allows, and sends nothing.</summary>
internal sealed class MeteredConnection(EventLoop loop, ConnectionHandler handler) : PullConnection(loop, handler)
{
    private long _room;

    public override EndPoint? RemoteEndPoint => null;

    /// <summary>Lets the peer accept this many more bytes. On the loop.</summary>
    internal void Allow(long bytes)
    {
        _room += bytes;
        OnWritable();
    }

    public override Block? Send(Block chain, EventLoop? loop, ref SentTally tally, out SendOutcome outcome)
    {
        Block? at = chain;
        while (at is not null && _room > 0)
        {
            int count = (int)Math.Min(at.Length, _room);
            _room -= count;
            tally.Bytes += count;
            at = BlockPools.Consume(at, count, loop, ref tally.Unused);
        }

        outcome = at is null ? SendOutcome.Sent : SendOutcome.Blocked;
        return at;
    }

    public override void ArmWritable()
    {
    }

    public override void DisarmWritable()
    {
    }

    private protected override int Receive(Span<byte> buffer, out ReceiveOutcome outcome)
    {
        outcome = ReceiveOutcome.Blocked;
        return 0;
    }

    public override void StartReceiving()
    {
    }

    public override void StopReceiving()
    {
    }

    public override void RearmReceive()
    {
    }

    public override void ShutdownSend()
    {
    }

    public override void ReleaseTransport()
    {
    }
}
