using System.Text;
using Broker.ZeroMq.Zmtp.Framing;

namespace Broker.ZeroMq.Zmtp.Handshake;

/// <summary>Our side of a handshake: socket type and metadata, encoded once per socket and shared by its connections.</summary>
/// <remarks>Immutable.</remarks>
internal sealed class ZmtpHandshakeOptions
{
    private readonly byte[] _metadata;

    /// <summary>Encodes the metadata.</summary>
    /// <param name="socketType">Our socket type.</param>
    /// <param name="identity">Our identity, 0 to 255 octets, not beginning with 0; sent by REQ, DEALER and ROUTER only.</param>
    /// <param name="properties">Further properties; names for application use begin with "X-". Values are sent in UTF-8.</param>
    /// <param name="maxCommandSize">Largest command accepted from a peer during the handshake.</param>
    /// <exception cref="ArgumentException">An identity or property name is not legal, or a name is there twice.</exception>
    /// <exception cref="ArgumentOutOfRangeException">The socket type is not known, or <paramref name="maxCommandSize"/> is below 1.</exception>
    public ZmtpHandshakeOptions(
        ZmtpSocketType socketType,
        ReadOnlyMemory<byte> identity = default,
        IReadOnlyCollection<KeyValuePair<string, string>>? properties = null,
        int maxCommandSize = 8 << 10)
    {
        var error = ZmtpPeer.CheckIdentity(identity.Span);
        if (error != ZmtpError.None)
        {
            throw new ArgumentException(ZmtpErrors.Text(error), nameof(identity));
        }

        SocketType = socketType;
        Identity = socketType.HasIdentity() ? identity.ToArray() : [];
        Limits = new ZmtpLimits(maxFrameSize: 1, maxMessageSize: 1, maxFrames: 1, maxCommandSize);

        var all = new List<(byte[] Name, byte[] Value)> { (ZmtpPropertyNames.SocketType.ToArray(), socketType.Name().ToArray()) };
        if (socketType.HasIdentity())
        {
            all.Add((ZmtpPropertyNames.Identity.ToArray(), identity.ToArray()));
        }

        foreach (var (name, value) in properties ?? [])
        {
            if (IsTaken(name) || all.Exists(property => Ascii.EqualsIgnoreCase(property.Name, name)))
            {
                // Peers may refuse what is there twice, ours do.
                throw new ArgumentException($"The property {name} is there already.", nameof(properties));
            }

            all.Add((Encoding.UTF8.GetBytes(name), Encoding.UTF8.GetBytes(value)));
        }

        _metadata = new byte[all.Sum(property => ZmtpMetadataWriter.Size(property.Name.Length, property.Value.Length))];
        var writer = new ZmtpMetadataWriter(_metadata);
        foreach (var (name, value) in all)
        {
            writer.Add(name, value);
        }
    }

    /// <summary>Our socket type.</summary>
    public ZmtpSocketType SocketType { get; }

    /// <summary>Our identity; empty where there is none.</summary>
    public ReadOnlyMemory<byte> Identity { get; }

    /// <summary>Our encoded metadata.</summary>
    public ReadOnlySpan<byte> Metadata => _metadata;

    internal ZmtpLimits Limits { get; }

    // Of those a socket has, or would have if it were of another type, also where its type has none.
    private static bool IsTaken(ReadOnlySpan<char> name) =>
        Ascii.EqualsIgnoreCase(ZmtpPropertyNames.SocketType, name) || Ascii.EqualsIgnoreCase(ZmtpPropertyNames.Identity, name);
}
