using System.Text;

namespace Broker.ZeroMq;

/// <summary>A metadata property. It refers to the memory of the metadata.</summary>
internal readonly ref struct ZmtpProperty
{
    internal ZmtpProperty(ReadOnlySpan<byte> name, ReadOnlySpan<byte> value)
    {
        Name = name;
        Value = value;
    }

    /// <summary>
    /// The name as the peer sent it, 1 to 255 octets. Case has no meaning: compare with <see cref="Is"/>.
    /// </summary>
    public ReadOnlySpan<byte> Name { get; }

    /// <summary>The value, as opaque octets.</summary>
    public ReadOnlySpan<byte> Value { get; }

    /// <summary>Whether the property is for application use: its name begins with "X-".</summary>
    public bool IsApplicationProperty => Name.Length > 2 && Ascii.EqualsIgnoreCase(Name[..2], "X-"u8);

    /// <summary>Whether the property has this name, ignoring case.</summary>
    public bool Is(ReadOnlySpan<byte> name) => Ascii.EqualsIgnoreCase(Name, name);
}
