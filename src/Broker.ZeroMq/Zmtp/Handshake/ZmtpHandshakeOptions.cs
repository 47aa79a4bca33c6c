using System.Text;

namespace Broker.ZeroMq;

/// <summary>
/// This side of a handshake: socket type and metadata, encoded once for a socket and shared by its connections.
/// </summary>
/// <remarks>Immutable.</remarks>
internal sealed class ZmtpHandshakeOptions
{
    private readonly byte[] _metadata;

    /// <summary>Encodes the metadata.</summary>
    /// <param name="socketType">This side's socket type.</param>
    /// <param name="identity">
    /// This side's identity: 0 to 255 octets that do not begin with 0. Only REQ, DEALER and ROUTER sockets send it.
    /// </param>
    /// <param name="properties">
    /// Further properties. Names for application use begin with "X-". Values are sent in UTF-8.
    /// </param>
    /// <param name="maxCommandSize">
    /// The size of the largest command that is accepted from a peer during the handshake.
    /// </param>
    /// <param name="reconnects">
    /// Whether to announce that this side connects again after an ERROR command. Only for types that a peer may refuse
    /// for a reason that passes: a used routing id, or another peer of a PAIR.
    /// </param>
    /// <exception cref="ArgumentException">
    /// An identity or property name is not legal, or a name occurs twice.
    /// </exception>
    /// <exception cref="ArgumentOutOfRangeException">
    /// The socket type is unknown, or <paramref name="maxCommandSize"/> is below 1.
    /// </exception>
    public ZmtpHandshakeOptions(
        ZmtpSocketType socketType,
        ReadOnlyMemory<byte> identity = default,
        IReadOnlyCollection<KeyValuePair<string, string>>? properties = null,
        int maxCommandSize = 8 << 10,
        bool reconnects = false)
    {
        ZmtpError error = ZmtpPeer.CheckIdentity(identity.Span);
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

        if (reconnects && (socketType.HasIdentity() || socketType == ZmtpSocketType.Pair))
        {
            all.Add((ZmtpPropertyNames.Reconnects.ToArray(), []));
        }

        foreach ((string? name, string? value) in properties ?? [])
        {
            if (IsTaken(name) || all.Exists(property => Ascii.EqualsIgnoreCase(property.Name, name)))
            {
                // Peers may refuse duplicate properties, as this implementation does.
                throw new ArgumentException($"The property {name} is given twice.", nameof(properties));
            }

            all.Add((Encoding.UTF8.GetBytes(name), Encoding.UTF8.GetBytes(value)));
        }

        _metadata = new byte[all.Sum(property => ZmtpMetadataWriter.Size(property.Name.Length, property.Value.Length))];
        var writer = new ZmtpMetadataWriter(_metadata);
        foreach ((byte[]? name, byte[]? value) in all)
        {
            writer.Add(name, value);
        }
    }

    /// <summary>This side's socket type.</summary>
    public ZmtpSocketType SocketType { get; }

    /// <summary>This side's identity. Empty if this side has no identity.</summary>
    public ReadOnlyMemory<byte> Identity { get; }

    /// <summary>This side's encoded metadata.</summary>
    public ReadOnlySpan<byte> Metadata => _metadata;

    internal ZmtpLimits Limits { get; }

    // The names of the standard properties are reserved, even if the socket's type does not send them.
    private static bool IsTaken(ReadOnlySpan<char> name)
        => Ascii.EqualsIgnoreCase(ZmtpPropertyNames.SocketType, name)
            || Ascii.EqualsIgnoreCase(ZmtpPropertyNames.Identity, name)
            || Ascii.EqualsIgnoreCase(ZmtpPropertyNames.Reconnects, name);
}
