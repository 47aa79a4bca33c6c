namespace Broker.Client.Streams;

/// <summary>The target of an object that is a link.</summary>
/// <param name="Store">The name of the object store.</param>
/// <param name="Name">The name of the object. Null for a link to the whole store.</param>
public sealed record ObjectLink(string Store, string? Name);
