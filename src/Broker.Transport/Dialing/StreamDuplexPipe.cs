using System.IO.Pipelines;

namespace Broker.Transport;

/// <summary>
/// Adapts a byte stream to a duplex pipe. At most one read and one write run at a time. Each direction buffers at most
/// 256 KiB. If the consumer lags behind, reading pauses. The stream is closed when both directions have ended.
/// </summary>
internal sealed class StreamDuplexPipe : IDuplexPipe
{
    private const long Most = 256 * 1024;
    private const int ReadAtATime = 64 * 1024;

    private static readonly PipeOptions Options = new(
        pauseWriterThreshold: Most, resumeWriterThreshold: Most / 2, useSynchronizationContext: false);

    private readonly Stream _stream;
    private readonly Func<Task>? _endOutput;
    private readonly Pipe _inbound = new(Options);
    private readonly Pipe _outbound = new(Options);
    private readonly CancellationToken _unread;

    private StreamDuplexPipe(Stream stream, Func<Task>? endOutput, CancellationTokenSource unread)
    {
        _stream = stream;
        _endOutput = endOutput;
        _unread = unread.Token;
        Input = new EndingReader(_inbound.Reader, unread);
    }

    public PipeReader Input { get; }

    public PipeWriter Output => _outbound.Writer;

    /// <param name="stream">The stream. The link owns it from now on.</param>
    /// <param name="endOutput">
    /// Ends the output direction of the stream while input continues, so that the peer still receives the last bytes.
    /// Null if the stream cannot do this.
    /// </param>
    internal static IDuplexPipe Open(Stream stream, Func<Task>? endOutput = null)
    {
        // The token source is never disposed, because it has no timer.
        var link = new StreamDuplexPipe(stream, endOutput, new CancellationTokenSource());
        _ = link.RunAsync();
        return link;
    }

    private async Task RunAsync()
    {
        await Task.WhenAll(ReceiveAsync(), SendAsync()).ConfigureAwait(false);
        try
        {
            await _stream.DisposeAsync().ConfigureAwait(false);
        }
        catch (Exception e) when (e is not OutOfMemoryException)
        {
            // The stream has ended in any case.
        }
    }

    private async Task ReceiveAsync()
    {
        Exception? error = null;
        try
        {
            while (true)
            {
                int count = await _stream.ReadAsync(_inbound.Writer.GetMemory(ReadAtATime), _unread).ConfigureAwait(false);
                _inbound.Writer.Advance(count);
                if (count == 0 || (await _inbound.Writer.FlushAsync(CancellationToken.None).ConfigureAwait(false)).IsCompleted)
                {
                    break;
                }
            }
        }
        catch (Exception e) when (e is not OutOfMemoryException)
        {
            error = e;
        }

        await _inbound.Writer.CompleteAsync(error).ConfigureAwait(false);
    }

    private async Task SendAsync()
    {
        Exception? error = null;
        try
        {
            while (true)
            {
                ReadResult result = await _outbound.Reader.ReadAsync(CancellationToken.None).ConfigureAwait(false);
                foreach (ReadOnlyMemory<byte> part in result.Buffer)
                {
                    await _stream.WriteAsync(part, _unread).ConfigureAwait(false);
                }

                if (!result.Buffer.IsEmpty)
                {
                    await _stream.FlushAsync(_unread).ConfigureAwait(false);
                }

                _outbound.Reader.AdvanceTo(result.Buffer.End);
                if (result.IsCompleted)
                {
                    break;
                }
            }

            if (_endOutput is not null)
            {
                await _endOutput().ConfigureAwait(false);
            }
        }
        catch (Exception e) when (e is not OutOfMemoryException)
        {
            error = e;
        }

        await _outbound.Reader.CompleteAsync(error).ConfigureAwait(false);
    }

    /// <summary>
    /// Cancels the stream's reads and writes when the consumer has completed its reader. So no more input is read, and
    /// no write waits for a peer that does not read.
    /// </summary>
    private sealed class EndingReader(PipeReader reader, CancellationTokenSource unread) : PipeReader
    {
        public override void AdvanceTo(SequencePosition consumed) => reader.AdvanceTo(consumed);

        public override void AdvanceTo(SequencePosition consumed, SequencePosition examined) => reader.AdvanceTo(consumed, examined);

        public override void CancelPendingRead() => reader.CancelPendingRead();

        public override ValueTask<ReadResult> ReadAsync(CancellationToken cancellationToken = default) => reader.ReadAsync(cancellationToken);

        public override bool TryRead(out ReadResult result) => reader.TryRead(out result);

        public override void Complete(Exception? exception = null)
        {
            reader.Complete(exception);
            unread.Cancel();
        }
    }
}
