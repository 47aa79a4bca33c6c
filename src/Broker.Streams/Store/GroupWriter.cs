namespace Broker.Streams;

/// <summary>
/// Writes what is queued, on a thread of its own or when the owner asks: one group after the other, each with one sync.
/// While one sync runs, the next group collects.
/// </summary>
internal sealed class GroupWriter : IDisposable
{
    private readonly StoreQueue _queue;
    private readonly SegmentLog _log;
    private readonly Thread? _thread;

    internal GroupWriter(StoreQueue queue, SegmentLog log, bool hasThread)
    {
        _queue = queue;
        _log = log;
        if (hasThread)
        {
            _thread = new Thread(Run) { IsBackground = true, Name = "broker store" };
            _thread.Start();
        }
    }

    /// <summary>Writes, syncs and reports what has been queued. Returns false if there was nothing.</summary>
    internal bool Commit()
    {
        if (!_queue.TryTake(out GroupBuffer group))
        {
            return false;
        }

        StoreOutcome outcome = Write(group);
        lock (_queue.Gate)
        {
            if (outcome == StoreOutcome.Stored)
            {
                _log.Publish(group);
            }
            else
            {
                _log.Discard(group);
            }

            _queue.Settle(group);
        }

        group.Report(outcome);
        group.Clear();
        if (outcome == StoreOutcome.Stored)
        {
            DropUnused();
        }

        return true;
    }

    /// <summary>Writes what is queued, and closes the files. The queue takes nothing more.</summary>
    public void Dispose()
    {
        _thread?.Join();
        while (Commit())
        {
        }

        try
        {
            if (_queue.Failure is null)
            {
                _log.WriteCloseMark();
            }
        }
        catch (IOException e)
        {
            // Without the mark, the next start reads the store as after a crash.
            _queue.Stop(e);
        }
        finally
        {
            _log.Dispose();
        }
    }

    private void Run()
    {
        while (_queue.Await())
        {
            Commit();
        }
    }

    private StoreOutcome Write(GroupBuffer group)
    {
        if (_queue.Failure is not null)
        {
            return StoreOutcome.Failed;
        }

        try
        {
            _log.Reserve(group.TotalLength);
        }
        catch (IOException) when (!_log.IsStarting)
        {
            return StoreOutcome.NoSpace;
        }
        catch (IOException e)
        {
            return Fail(e);
        }

        try
        {
            _log.Write(group);
            return StoreOutcome.Stored;
        }
        catch (IOException e)
        {
            return Fail(e);
        }
    }

    private void DropUnused()
    {
        try
        {
            _log.DropUnused();
            _log.Compact();
        }
        catch (IOException e)
        {
            Fail(e);
        }
    }

    private StoreOutcome Fail(IOException error)
    {
        _queue.Stop(error);
        return StoreOutcome.Failed;
    }
}
