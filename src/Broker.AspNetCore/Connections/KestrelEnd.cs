using System.IO.Pipelines;
using System.Runtime.CompilerServices;

namespace Broker.AspNetCore;

/// <summary>The server's end of a connection that Kestrel has accepted.</summary>
/// <remarks>
/// If the server closes a connection with a linger time, it ends its sending direction and continues to read until the
/// client has ended the other direction. But a TLS client sees the end only when Kestrel closes the whole connection,
/// and Kestrel waits until the server stops reading. So this class ends the server's reads: immediately, or after the
/// linger time.
/// </remarks>
/// <param name="transport">Kestrel's pipe.</param>
/// <param name="linger">
/// After the server has ended its direction, the client has this time to end the other direction.
/// </param>
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

    // If EndLaterAsync canceled a read, this read is the last read of the connection.
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
