namespace Broker.HostileRun.Honest;

/// <summary>The numbers of messages that honest traffic sent and received.</summary>
/// <param name="Sent">The number of messages, requests or probes.</param>
/// <param name="Received">The number that arrived, or was answered, once and in order.</param>
/// <param name="Wrong">The number that arrived twice, late or with other contents.</param>
internal sealed record HonestCounts(long Sent, long Received, long Wrong)
{
    public long Lost => Sent - Received;
}
