using Broker.Cli.Messaging;
using Broker.Client.Streams;

namespace Broker.Cli.Streams;

/// <summary>A connected command about streams.</summary>
/// <param name="Client">The connected command.</param>
/// <param name="Streams">The streams that the connection reaches.</param>
/// <param name="Timeout">How long the server may take for an answer.</param>
internal sealed record StreamsRun(ClientRun Client, StreamsClient Streams, TimeSpan Timeout)
{
    /// <summary>Cancelled by Ctrl+C.</summary>
    public CancellationToken Stop => Client.Stop;
}
