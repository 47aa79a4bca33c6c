using System.IO.Pipelines;
using System.Runtime.CompilerServices;

namespace Broker.AspNetCore;

/// <summary>The server's end of a connection that Kestrel has accepted.</summary>
/// <remarks>
/// A close with a linger ends the server's direction and reads on until the client has ended its direction. A TLS
/// client does not see the end of one direction before Kestrel closes the whole connection, and Kestrel waits for the
/// server. So this class also ends the reads, immediately or after the linger time.
/// </remarks>
/// <param name="transport">Kestrel's pipe.</param>
/// <param name="linger">The time that the client has to end its direction after the server has ended its own.</param>
internal sealed class KestrelEnd(IDuplexPipe transport, TimeSpan linger) : PipeReader, IDuplexPipe
{
    private readonly TaskCompletionSource _done = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private volatile bool _ends;

    public PipeReader Input => this;

    public PipeWriter Output => field ??= new Writer(transport.Output, EndLater);

    /// <summary>Completes when the server no longer uses the connection.</summary>
    internal Task Done => _done.Task;

    public override bool TryRead(out ReadResult result)
    {
        bool read = transport.Input.TryRead(out result);
        result = read ? EndOf(result) : result;
        return read;
    }

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    public override async ValueTask<ReadResult> ReadAsync(CancellationToken cancellationToken = default)
        => EndOf(await transport.Input.ReadAsync(cancellationToken).ConfigureAwait(false));

    public override void AdvanceTo(SequencePosition consumed) => transport.Input.AdvanceTo(consumed);

    public override void AdvanceTo(SequencePosition consumed, SequencePosition examined) => transport.Input.AdvanceTo(consumed, examined);

    public override void CancelPendingRead() => transport.Input.CancelPendingRead();

    public override void Complete(Exception? exception = null)
    {
        transport.Input.Complete(exception);
        _done.TrySetResult();
    }

    // A read that the end has canceled is the last read.
    private ReadResult EndOf(ReadResult result) => _ends && result.IsCanceled ? new ReadResult(result.Buffer, isCanceled: false, isCompleted: true) : result;

    private void EndLater() => _ = EndLaterAsync();

    private async Task EndLaterAsync()
    {
        if (linger > TimeSpan.Zero)
        {
            await Task.WhenAny(Done, Task.Delay(linger)).ConfigureAwait(false);
        }

        if (!Done.IsCompleted)
        {
            _ends = true;
            transport.Input.CancelPendingRead();
        }
    }

    private sealed class Writer(PipeWriter output, Action ended) : PipeWriter
    {
        public override bool CanGetUnflushedBytes => output.CanGetUnflushedBytes;

        public override long UnflushedBytes => output.UnflushedBytes;

        public override void Advance(int bytes) => output.Advance(bytes);

        public override Memory<byte> GetMemory(int sizeHint = 0) => output.GetMemory(sizeHint);

        public override Span<byte> GetSpan(int sizeHint = 0) => output.GetSpan(sizeHint);

        public override ValueTask<FlushResult> FlushAsync(CancellationToken cancellationToken = default) => output.FlushAsync(cancellationToken);

        public override void CancelPendingFlush() => output.CancelPendingFlush();

        public override void Complete(Exception? exception = null)
        {
            output.Complete(exception);
            ended();
        }
    }
}
