namespace Broker.Client.Streams;

internal sealed class ApiLevel
{
    /// <summary>The number grows with the features of the API. 0 before nats-server 2.11.</summary>
    public int Level { get; set; }
}
