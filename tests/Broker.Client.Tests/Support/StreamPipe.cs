using System.IO.Pipelines;

namespace Broker.Client.Tests.Support;

/// <summary>A stream as the duplex pipe of a test program.</summary>
internal sealed class StreamPipe(Stream stream) : IDuplexPipe
{
    public PipeReader Input { get; } = PipeReader.Create(stream);

    public PipeWriter Output { get; } = PipeWriter.Create(stream);
}
