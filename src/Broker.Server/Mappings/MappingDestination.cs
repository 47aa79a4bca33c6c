namespace Broker.Server;

/// <summary>One of the subjects that a <see cref="SubjectMapping"/> maps to.</summary>
/// <param name="Subject">
/// The subject. Its tokens may refer to the source: <c>$1</c> and <c>{{wildcard(1)}}</c> stand for the token that the
/// first wildcard of the source matches. The page configuration.md lists the other functions.
/// </param>
/// <param name="Weight">The percentage of the messages that get this subject, from 0 to 100.</param>
public readonly record struct MappingDestination(string Subject, int Weight = 100);
