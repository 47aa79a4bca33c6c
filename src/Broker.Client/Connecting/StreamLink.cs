using System.IO.Pipelines;

namespace Broker.Client.Connecting;

/// <summary>
/// A byte stream as a duplex pipe. One read and one write are under way at most; in each direction some hundred kilobytes wait, and
/// nobody reads ahead of who takes them. The stream is closed when both directions have ended.
/// </summary>
internal sealed class StreamLink : IDuplexPipe
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

    private StreamLink(Stream stream, Func<Task>? endOutput, CancellationTokenSource unread)
    {
        _stream = stream;
        _endOutput = endOutput;
        _unread = unread.Token;
        Input = new EndingReader(_inbound.Reader, unread);
    }

    public PipeReader Input { get; }

    public PipeWriter Output => _outbound.Writer;

    /// <param name="stream">The link's from now on.</param>
    /// <param name="endOutput">Ends the stream's own direction where it can be ended alone, so that the peer still hears the last words.</param>
    internal static IDuplexPipe Open(Stream stream, Func<Task>? endOutput = null)
    {
        // Never disposed: it has no timer.
        var link = new StreamLink(stream, endOutput, new CancellationTokenSource());
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
            // It has ended one way or the other.
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

    /// <summary>When nobody will take what comes, nothing more is read, and nothing is waited for that will not be sent.</summary>
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
