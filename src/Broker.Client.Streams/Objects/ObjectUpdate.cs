namespace Broker.Client.Streams;

/// <summary>An item of a watch of an object store: an object, or the signal that the initial set is complete.</summary>
/// <param name="Info">The description of the object. Null for the signal.</param>
public readonly record struct ObjectUpdate(ObjectInfo? Info)
{
    /// <summary>Whether everything that was stored when the watch began has been returned.</summary>
    public bool IsInitialSetComplete => Info is null;
}
