namespace Broker.Transport;

/// <summary>
/// Sends for a connection. It calls the pump, and then does what the result of the pump asks for, outside the lock of
/// the queue.
/// </summary>
internal sealed class OutboundSender
{
    private readonly Connection _connection;
    private readonly OutboundPump _pump;

    internal OutboundSender(Connection connection, IOutboundTransport transport)
    {
        _connection = connection;
        _pump = new OutboundPump(connection, this, transport);
    }

    internal OutboundPump Pump => _pump;

    private EventLoop Loop => _connection.Loop;

    /// <summary>
    /// Queues the bytes of a write buffer, and sends them if no other thread sends. <paramref name="loop"/> is the
    /// caller's loop, or null if the caller is not a loop.
    /// </summary>
    internal void Flush(LoopWriteBuffer buffer, EventLoop? loop)
    {
        FlushedBlocks flushed = buffer.TakeBlocks();
        if (flushed.First is null)
        {
            return;
        }

        PumpResult result = _pump.Flush(flushed, loop);
        if (result == PumpResult.Discarded)
        {
            Discard(flushed.First, loop);
        }
        else
        {
            Complete(result);
        }
    }

    /// <summary>Sends ciphertext that TLS itself produced. On the thread that runs the handshake or reads.</summary>
    internal void SendCiphertext(Block block)
    {
        _pump.AddCiphertext(block);
        Complete(_pump.Resume(Loop.Group.Current));
    }

    /// <summary>Sends the queue after the obstacle to sending has gone. On the loop.</summary>
    internal void Resume() => Complete(_pump.Resume(Loop));

    /// <summary>Called when the peer accepts bytes again. On the loop.</summary>
    internal void OnWritable() => Complete(_pump.OnWritable());

    /// <summary>Continues a send that has yielded to other connections. On the loop.</summary>
    internal void Continue() => Complete(_pump.ContinueAfterYield());

    /// <summary>Called when the transport's asynchronous send has completed. On the loop.</summary>
    internal void EndAsyncSend(int sent, bool failed)
    {
        _pump.EndAsyncSend(sent, failed);
        if (_connection.IsClosed)
        {
            _pump.DropQueue();
        }
        else if (failed)
        {
            EndAfterFailure();
        }
        else
        {
            Resume();
            _connection.AdvanceLinger();
        }
    }

    /// <summary>
    /// Prepares queued bytes to be sent before the connection ends. Returns false if the bytes could be sent only after
    /// a handshake, which is no longer needed. On the loop.
    /// </summary>
    internal bool TrySecureQueued()
    {
        if (_pump.Layer is not { IsSecured: false } layer)
        {
            return true;
        }

        if (layer.AwaitsPeer)
        {
            return false;
        }

        // From now on received bytes are dropped, so the layer need not be ready for them.
        _pump.Secure();
        Resume();
        return true;
    }

    /// <summary>
    /// Sends the TLS alert that ends this side's direction (close_notify). Returns false if another thread is sending.
    /// The caller must then try again later. On the loop.
    /// </summary>
    internal bool TrySendCloseNotify()
    {
        if (_pump.Layer is not { IsSecured: true, HasCloseNotify: true, IsCloseNotifySent: false } layer)
        {
            return true;
        }

        if (!_pump.TryBeginAddition())
        {
            return false;
        }

        layer.IsCloseNotifySent = true;
        layer.EncryptCloseNotify(Loop);
        _pump.EndAddition();
        Resume();
        return true;
    }

    /// <summary>
    /// Calls the handler's OnDrained, because the queue had to wait for the peer and is empty again. On the loop.
    /// </summary>
    internal void NotifyDrained() => Notify(static connection => connection.Handler.OnDrained(connection));

    /// <summary>
    /// Calls the handler's OnLowWater, because the queue has fallen to its low-water mark. On the loop.
    /// </summary>
    internal void NotifyLowWater() => Notify(static connection => connection.Handler.OnLowWater(connection));

    private void Complete(PumpResult result)
    {
        if (result == PumpResult.Failed)
        {
            Loop.Post(EndAfterFailure);
        }
        else if (result == PumpResult.FinishClosing)
        {
            // A loop that has ended waits for no sender. In this case, this thread is the last thread that refers to
            // the connection.
            if (!Loop.TryPost(_connection.EndClosing))
            {
                _connection.EndClosing();
            }
        }
        else if (result == PumpResult.Sent && _connection.IsLingering)
        {
            Loop.Run(_connection.AdvanceLinger);
        }
    }

    // Closes the connection after a failed send. Bytes that the peer sent before the failure are still received. On the
    // loop.
    private void EndAfterFailure()
    {
        if (!_connection.IsClosed)
        {
            _connection.OnReadable(1);
            _connection.CloseOnLoop(CloseReason.Error, _pump.Layer?.Fault, TimeSpan.Zero);
        }
    }

    // This runs outside the lock of the queue. The handler may take locks of its own, and other threads may flush while
    // they hold those locks.
    private void Discard(Block first, EventLoop? loop)
    {
        for (Block? at = first; at is not null; at = at.Next)
        {
            if (at.Length == 0)
            {
                continue;
            }

            try
            {
                _connection.Handler.OnDiscarded(_connection, at.Array.AsSpan(at.Start, at.Length));
            }
            catch (Exception e) when (e is not OutOfMemoryException)
            {
                Loop.Group.ReportFault(e);
            }
        }

        BlockPools.ReturnAll(first, loop);
    }

    private void Notify(Action<Connection> call)
    {
        if (!_connection.IsOpen)
        {
            return;
        }

        try
        {
            call(_connection);
        }
        catch (Exception e) when (e is not OutOfMemoryException)
        {
            _connection.CloseOnLoop(CloseReason.Error, e, TimeSpan.Zero);
        }
    }
}
