namespace Broker.Server;

/// <summary>The subjects with the most traffic. Immutable.</summary>
/// <param name="Interval">One of so many messages is sampled; 0 if nothing is sampled.</param>
/// <param name="Subjects">The subjects, with the most recent traffic first; at most 256.</param>
public sealed record SubjectPage(int Interval, IReadOnlyList<SubjectTraffic> Subjects);
