namespace Broker.Cli.Tracing;

/// <summary>Whether a receiver gets the messages.</summary>
internal enum TraceOutcome
{
    /// <summary>It gets each message.</summary>
    Yes,

    /// <summary>It gets a part of the messages: a member of a queue group, or behind a mapping with weights.</summary>
    Part,

    /// <summary>It gets each message if it subscribes.</summary>
    May,

    /// <summary>It gets none.</summary>
    No,
}
