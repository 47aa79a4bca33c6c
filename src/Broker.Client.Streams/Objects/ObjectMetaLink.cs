namespace Broker.Client.Streams;

/// <summary>The target of a link as it is stored.</summary>
internal sealed record ObjectMetaLink
{
    public string? Bucket { get; set; }

    public string? Name { get; set; }
}
