namespace Broker.Server.Tests.Allocation;

/// <summary>Runs a row with existing connections and measures the allocations.</summary>
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

    /// <summary>The bytes that the process, with clients and server, has allocated during the run.</summary>
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

    /// <summary>Removes the subscriptions, so that the next row can use the connections.</summary>
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

        // The number of messages of each queue group member is random. But on one loop, all bytes that were written to
        // a reader come before the answer to its next PING.
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
