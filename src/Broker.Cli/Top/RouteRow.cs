namespace Broker.Cli.Top;

/// <summary>A route of the ZeroMQ bridge with its rates, in messages a second. NaN if a rate is not known.</summary>
/// <param name="Entry">The counters.</param>
/// <param name="FromZeroMq">Messages from ZeroMQ peers.</param>
/// <param name="ToSubjects">Messages that were published.</param>
/// <param name="FromSubjects">Messages from subjects.</param>
/// <param name="ToZeroMq">Messages to ZeroMQ peers.</param>
internal sealed record RouteRow(RouteEntry Entry, double FromZeroMq, double ToSubjects, double FromSubjects, double ToZeroMq);
