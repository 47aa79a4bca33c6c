namespace Broker.Leaf;

/// <summary>
/// Gives the credentials of a link. An implementation that reads a file notices a replaced file at the next connect. A
/// reload compares sources with <see cref="object.Equals(object)"/>.
/// </summary>
public interface ILeafCredentialSource
{
    /// <summary>Returns the credentials. Called on a thread-pool thread before each attempt to connect.</summary>
    /// <remarks>If the method throws any exception, the attempt has failed, and the link tries again later.</remarks>
    LeafCredentials Read();
}
