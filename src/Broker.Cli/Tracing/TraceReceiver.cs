namespace Broker.Cli.Tracing;

/// <summary>A client, a user, a stream, a ZeroMQ route or a leaf node that could get the messages.</summary>
/// <param name="Name">Its name for the user.</param>
/// <param name="Outcome">Whether it gets the messages.</param>
/// <param name="Why">The reason.</param>
internal sealed record TraceReceiver(string Name, TraceOutcome Outcome, string Why)
{
    /// <summary>The account of the receiver.</summary>
    public string Account { get; init; } = "";

    /// <summary>The subject with which it gets the messages.</summary>
    public string Subject { get; init; } = "";
}
