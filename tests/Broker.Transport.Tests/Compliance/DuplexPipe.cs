using System.IO.Pipelines;

namespace Broker.Transport.Tests;

/// <summary>One end of two pipes in memory.</summary>
internal sealed class DuplexPipe(PipeReader input, PipeWriter output) : IDuplexPipe
{
    public PipeReader Input => input;

    public PipeWriter Output => output;

    internal static (DuplexPipe Near, DuplexPipe Far) Create()
    {
        // The connections only post to their loops, so the thread pool, which is a pipe's default, would be an
        // unnecessary detour.
        var options = new PipeOptions(
            readerScheduler: PipeScheduler.Inline, writerScheduler: PipeScheduler.Inline, useSynchronizationContext: false);
        var there = new Pipe(options);
        var back = new Pipe(options);
        return (new DuplexPipe(back.Reader, there.Writer), new DuplexPipe(there.Reader, back.Writer));
    }
}
