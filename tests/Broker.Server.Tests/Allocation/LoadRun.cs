namespace Broker.Server.Tests.Allocation;

/// <summary>Runs a row with connections that were there before, and counts what is allocated meanwhile.</summary>
internal sealed class LoadRun : IDisposable
{
    private readonly LoadRow _row;
    private readonly LoadPeer[] _publishers;
    private readonly LoadPeer[] _readers;
    private readonly byte[] _block;
    private readonly byte[] _reply;
    private readonly int _requestHeard;
    private readonly int _replyHeard;
    private readonly int _heard;

    internal LoadRun(LoadRow row, ReadOnlySpan<LoadPeer> peers)
    {
        _row = row;
        _publishers = peers[..row.Publishers].ToArray();
        _readers = peers.Slice(row.Publishers, row.Readers).ToArray();
        _block = row.Requests ? row.Request : [.. Enumerable.Repeat(row.Published, row.Batch).SelectMany(m => m), .. LoadRow.Ping];
        _reply = row.Reply;
        _requestHeard = row.RequestHeard.Length;
        _replyHeard = row.ReplyHeard.Length;
        _heard = row.HeardLength;
        Assert.Equal(0, _publishers[0].Say(row.Requests ? $"SUB {LoadRow.Inbox} 1\r\n" : row.Subscribe(row.Own)));
        foreach (LoadPeer reader in _readers)
        {
            Assert.Equal(0, reader.Say(row.Subscribe(1)));
        }
    }

    /// <summary>What the process, clients and server, has allocated meanwhile.</summary>
    internal long Run(int rounds)
    {
        long before = GC.GetTotalAllocatedBytes(precise: true);
        for (int i = 0; i < rounds; i++)
        {
            if (_row.Requests)
            {
                Ask();
            }
            else
            {
                Publish();
            }
        }

        return GC.GetTotalAllocatedBytes(precise: true) - before;
    }

    /// <summary>Takes the subscriptions back, for the row that uses the connections next.</summary>
    public void Dispose()
    {
        foreach (LoadPeer peer in _publishers.Concat(_readers))
        {
            peer.Say(string.Concat(Enumerable.Range(1, Math.Max(1, _row.Own)).Select(sid => $"UNSUB {sid}\r\n")));
        }
    }

    private void Ask()
    {
        _publishers[0].Send(_block);
        _readers[0].Drop(_requestHeard);
        _readers[0].Send(_reply);
        _publishers[0].Drop(_replyHeard);
    }

    private void Publish()
    {
        foreach (LoadPeer publisher in _publishers)
        {
            publisher.Send(_block);
        }

        int heard = 0;
        foreach (LoadPeer publisher in _publishers)
        {
            heard += publisher.ReadToPong();
        }

        // Nobody knows which member of a queue group gets how much; but on one loop, what is written to a reader by now comes
        // before the answer to what it asks now.
        foreach (LoadPeer reader in _readers)
        {
            reader.Send(LoadRow.Ping);
        }

        foreach (LoadPeer reader in _readers)
        {
            heard += reader.ReadToPong();
        }

        Assert.True(heard == _heard);
    }
}
