namespace Broker.Cli.Bench;

/// <summary>What <c>broker bench</c> measures.</summary>
internal enum BenchPattern
{
    /// <summary>Publishers without subscribers.</summary>
    Publish,

    /// <summary>Publishers and subscribers. Every message is counted.</summary>
    PublishAndSubscribe,

    /// <summary>Requests and their replies. The time of every reply is measured.</summary>
    Request,
}
