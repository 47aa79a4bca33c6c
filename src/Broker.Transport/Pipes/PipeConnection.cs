using System.Buffers;
using System.IO.Pipelines;
using System.Net;
using System.Runtime.CompilerServices;

namespace Broker.Transport;

/// <summary>
/// A connection over a <see cref="PipeReader"/> and a <see cref="PipeWriter"/>. At most one read and one flush are
/// pending. They may complete on any thread, and their completion only posts an action to the loop.
/// </summary>
internal sealed class PipeConnection : PullConnection
{
    // The most bytes between two flushes. So the other side can already work while this side copies more bytes.
    private const int FlushAt = 64 * 1024;

    private readonly PipeReader _reader;
    private readonly PipeWriter _writer;
    private readonly Action _onRead;
    private readonly Action _onFlushed;
    private readonly Action _postedRead;
    private readonly Action _postedReceive;
    private readonly Action _postedFlushed;
    private readonly Lock _gate = new();
    private ConfiguredValueTaskAwaitable<ReadResult>.ConfiguredValueTaskAwaiter _reading;
    private ConfiguredValueTaskAwaitable<FlushResult>.ConfiguredValueTaskAwaiter _flushing;
    private ReadResult _result;
    private bool _hasResult;
    private bool _reads;
    private bool _flushes;
    private bool _stopped;
    private bool _writerDone;
    private bool _released;

    internal PipeConnection(EventLoop loop, IDuplexPipe pipe, ConnectionHandler handler)
        : base(loop, handler)
    {
        _reader = pipe.Input;
        _writer = pipe.Output;
        _onRead = () => OnCompleted(_postedRead!);
        _onFlushed = () => OnCompleted(_postedFlushed!);
        _postedRead = EndRead;
        _postedReceive = ReceiveResult;
        _postedFlushed = EndFlush;
    }

    public override EndPoint? RemoteEndPoint => null;

    public override void StartReceiving() => AwaitReadable();

    public override void StopReceiving() => _stopped = true;

    public override void RearmReceive()
    {
        if (_hasResult)
        {
            Loop.Post(_postedReceive);
        }
        else
        {
            AwaitReadable();
        }
    }

    private protected override int Receive(Span<byte> buffer, out ReceiveOutcome outcome)
    {
        try
        {
            ReadResult result = _result;
            if (_hasResult)
            {
                _hasResult = false;
                _result = default;
            }
            else if (_reads || !_reader.TryRead(out result))
            {
                outcome = ReceiveOutcome.Blocked;
                return 0;
            }

            ReadOnlySequence<byte> some = result.Buffer.Slice(0, Math.Min(result.Buffer.Length, buffer.Length));
            some.CopyTo(buffer);
            int got = (int)some.Length;
            _reader.AdvanceTo(some.End);
            outcome = got > 0 ? ReceiveOutcome.Received : result.IsCompleted ? ReceiveOutcome.EndOfStream : ReceiveOutcome.Blocked;
            return got;
        }
        catch (Exception e) when (e is not OutOfMemoryException)
        {
            outcome = ReceiveOutcome.Failed;
            return 0;
        }
    }

    public override Block? Send(Block chain, EventLoop? loop, ref SentTally tally, out SendOutcome outcome)
    {
        Block? at = chain;
        try
        {
            while (at is not null)
            {
                if (_flushes)
                {
                    outcome = SendOutcome.Blocked;
                    return at;
                }

                if (tally.Bytes >= tally.MaxBytes)
                {
                    outcome = SendOutcome.Yielded;
                    return at;
                }

                int copied = 0;
                while (at is not null && copied < FlushAt)
                {
                    int count = Math.Min(at.Length, FlushAt - copied);
                    _writer.Write(at.Array.AsSpan(at.Start, count));
                    copied += count;
                    tally.Bytes += count;
                    at = BlockPools.Consume(at, count, loop, ref tally.Unused);
                }

                if (!TryFlush())
                {
                    outcome = SendOutcome.Failed;
                    return at;
                }
            }

            outcome = _flushes ? SendOutcome.Blocked : SendOutcome.Sent;
            return at;
        }
        catch (Exception e) when (e is not OutOfMemoryException)
        {
            outcome = SendOutcome.Failed;
            return at;
        }
    }

    public override void ArmWritable()
    {
        // There is nothing to ask for: the completion of the pending flush calls OnWritable.
    }

    public override void DisarmWritable()
    {
    }

    public override void ShutdownSend() => CompleteWriter();

    public override void ReleaseTransport()
    {
        bool idle;
        lock (_gate)
        {
            _released = true;
            idle = !_reads && !_flushes;
        }

        if (idle)
        {
            Complete();
            return;
        }

        // A pending operation still uses the pipe, so the completion of this operation completes the pipe.
        _reader.CancelPendingRead();
        _writer.CancelPendingFlush();
    }

    // Returns false if nobody reads from the pipe any more. The connection has then failed.
    private bool TryFlush()
    {
        ValueTask<FlushResult> flush = _writer.FlushAsync();
        if (flush.IsCompleted)
        {
            return !flush.GetAwaiter().GetResult().IsCompleted;
        }

        _flushing = flush.ConfigureAwait(false).GetAwaiter();
        lock (_gate)
        {
            _flushes = true;
        }

        _flushing.UnsafeOnCompleted(_onFlushed);
        return true;
    }

    private void EndFlush()
    {
        bool failed;
        try
        {
            failed = _flushing.GetResult().IsCompleted;
        }
        catch (Exception e) when (e is not OutOfMemoryException)
        {
            failed = true;
        }

        if (EndOperation(ref _flushes) || IsClosed)
        {
            return;
        }

        if (failed)
        {
            CloseOnLoop(CloseReason.Error, null, TimeSpan.Zero);
        }
        else
        {
            OnWritable();
        }
    }

    private void AwaitReadable()
    {
        // A read also begins during a pause, but only for one result. If the result contains only the end of the
        // stream, it is handled at once.
        if (_reads || _hasResult || _stopped || IsClosed)
        {
            return;
        }

        try
        {
            _reading = _reader.ReadAsync().ConfigureAwait(false).GetAwaiter();
        }
        catch (Exception e) when (e is not OutOfMemoryException)
        {
            CloseOnLoop(CloseReason.Error, e, TimeSpan.Zero);
            return;
        }

        lock (_gate)
        {
            _reads = true;
        }

        // The read may already be complete. Its result goes through the loop's list, so that other connections come
        // first.
        if (_reading.IsCompleted)
        {
            Loop.Post(_postedRead);
        }
        else
        {
            _reading.UnsafeOnCompleted(_onRead);
        }
    }

    private void EndRead()
    {
        Exception? error = null;
        try
        {
            _result = _reading.GetResult();
            _hasResult = true;
        }
        catch (Exception e) when (e is not OutOfMemoryException)
        {
            error = e;
        }

        if (EndOperation(ref _reads) || IsClosed)
        {
            return;
        }

        if (error is not null)
        {
            CloseOnLoop(CloseReason.Error, error, TimeSpan.Zero);
            return;
        }

        ReceiveResult();
    }

    private void ReceiveResult()
    {
        try
        {
            if (!Gate.IsPaused)
            {
                OnReadable(1);
                AwaitReadable();
            }
            else if (_hasResult && _result.IsCompleted && _result.Buffer.IsEmpty && !Gate.IsYielded)
            {
                EndWhilePaused();
            }
        }
        catch (Exception e) when (e is not OutOfMemoryException)
        {
            Closing.Fail(e);
        }
    }

    private void OnCompleted(Action onLoop)
    {
        // A loop that has ended has already closed the connection. So nothing else uses the pipe.
        if (!Loop.TryPost(onLoop))
        {
            onLoop();
        }
    }

    // Returns whether the connection is closed. In this case, the last operation completes the pipe.
    private bool EndOperation(ref bool operation)
    {
        bool last;
        lock (_gate)
        {
            operation = false;
            if (!_released)
            {
                return false;
            }

            last = !_reads && !_flushes;
        }

        if (last)
        {
            Complete();
        }

        return true;
    }

    private void Complete()
    {
        try
        {
            _reader.Complete();
            CompleteWriter();
        }
        catch (Exception e) when (e is not OutOfMemoryException)
        {
            Loop.Group.ReportFault(e);
        }
    }

    private void CompleteWriter()
    {
        if (!_writerDone)
        {
            _writerDone = true;
            _writer.Complete();
        }
    }
}
