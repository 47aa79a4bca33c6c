namespace Broker.Client.Streams;

/// <summary>The parts of an object's description that a program may change without putting the content again.</summary>
public sealed record ObjectDetails
{
    /// <summary>Creates details without a text, headers and metadata.</summary>
    /// <param name="name">The name of the object. Another name than the present one renames the object.</param>
    public ObjectDetails(string name) => Name = name;

    /// <summary>Creates the details of an object.</summary>
    /// <param name="info">The description of the object.</param>
    public ObjectDetails(ObjectInfo info)
    {
        ArgumentNullException.ThrowIfNull(info);
        (Name, Description, Headers, Metadata) = (info.Name, info.Description, info.Headers, info.Metadata);
    }

    /// <summary>The name of the object.</summary>
    public string Name { get; init; }

    /// <summary>A description for people. Null for none.</summary>
    public string? Description { get; init; }

    /// <summary>Headers of the object, as of a message. Null for none.</summary>
    public IReadOnlyDictionary<string, IReadOnlyList<string>>? Headers { get; init; }

    /// <summary>Names and values for programs. Null for none.</summary>
    public IReadOnlyDictionary<string, string>? Metadata { get; init; }
}
