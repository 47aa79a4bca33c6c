using System.IO.Pipelines;

namespace Broker.Client.Tests.Support;

/// <summary>A stream as the pipe of a program of one's own.</summary>
internal sealed class StreamPipe(Stream stream) : IDuplexPipe
{
    public PipeReader Input { get; } = PipeReader.Create(stream);

    public PipeWriter Output { get; } = PipeWriter.Create(stream);
}
