using System.IO.Pipelines;

namespace Broker.AspNetCore;

/// <summary>
/// The server's end of two pipes. It calls <c>ended</c> when the server no longer uses the pipes.
/// </summary>
internal sealed class ServerEnd(PipeReader input, PipeWriter output, Action ended) : PipeReader, IDuplexPipe
{
    public PipeReader Input => this;

    public PipeWriter Output => output;

    public override bool TryRead(out ReadResult result) => input.TryRead(out result);

    public override ValueTask<ReadResult> ReadAsync(CancellationToken cancellationToken = default) => input.ReadAsync(cancellationToken);

    public override void AdvanceTo(SequencePosition consumed) => input.AdvanceTo(consumed);

    public override void AdvanceTo(SequencePosition consumed, SequencePosition examined) => input.AdvanceTo(consumed, examined);

    public override void CancelPendingRead() => input.CancelPendingRead();

    public override void Complete(Exception? exception = null)
    {
        input.Complete(exception);
        ended();
    }
}
