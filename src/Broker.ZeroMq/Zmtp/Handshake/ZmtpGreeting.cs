using System.Buffers;

namespace Broker.ZeroMq;

/// <summary>
/// The 64 octets that each side sends first (RFC 37): FF, 8 octets of padding, 7F, major, minor, 20 octets of mechanism
/// name, as-server, 31 octets of filler.
/// </summary>
/// <remarks>
/// The greeting refers to the memory that it was parsed from. Padding, as-server and filler are not validated: RFC 37
/// forbids checks of the padding (libzmq writes a length there for ZMTP/1.0 peers), and later versions may use the
/// filler.
/// </remarks>
internal readonly ref struct ZmtpGreeting
{
    /// <summary>The length of a greeting in octets.</summary>
    public const int Size = 64;

    /// <summary>The length of the longest mechanism name in octets.</summary>
    public const int MaxMechanismLength = 20;

    /// <summary>
    /// The size of signature and major version, which have the same meaning in all versions since 2.0.
    /// </summary>
    public const int VersionedSize = MajorOffset + 1;

    /// <summary>The major version this library sends.</summary>
    public const byte OwnMajor = 3;

    /// <summary>The minor version this library sends.</summary>
    public const byte OwnMinor = 1;

    private const int SignatureEnd = 9;
    private const int MajorOffset = 10;
    private const int MinorOffset = 11;
    private const int MechanismOffset = 12;
    private const int AsServerOffset = 32;

    private static readonly SearchValues<byte> MechanismOctets = SearchValues.Create("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.+"u8);

    private ZmtpGreeting(byte major, byte minor, ReadOnlySpan<byte> mechanism, bool asServer)
    {
        Major = major;
        Minor = minor;
        Mechanism = mechanism;
        AsServer = asServer;
    }

    /// <summary>The major version, 3 or above.</summary>
    public byte Major { get; }

    /// <summary>The minor version.</summary>
    public byte Minor { get; }

    /// <summary>The mechanism name without padding.</summary>
    public ReadOnlySpan<byte> Mechanism { get; }

    /// <summary>Whether the peer is the server of the mechanism. It has no meaning for NULL.</summary>
    public bool AsServer { get; }

    /// <summary>
    /// Parses the greeting at the start of <paramref name="input"/>. Returns false with <see cref="ZmtpError.None"/> if
    /// the greeting is incomplete. Returns false with an error as soon as the available octets cannot become a greeting
    /// of version 3 or above.
    /// </summary>
    public static bool TryParse(ReadOnlySpan<byte> input, out ZmtpGreeting greeting, out ZmtpError error)
    {
        greeting = default;
        error = Check(input);
        if (error != ZmtpError.None || input.Length < Size)
        {
            return false;
        }

        ReadOnlySpan<byte> field = input.Slice(MechanismOffset, MaxMechanismLength);
        int padding = field.IndexOf((byte)0);
        ReadOnlySpan<byte> mechanism = padding < 0 ? field : field[..padding];
        greeting = new ZmtpGreeting(input[MajorOffset], input[MinorOffset], mechanism, input[AsServerOffset] != 0);
        return true;
    }

    /// <summary>Writes this side's greeting and returns <see cref="Size"/>.</summary>
    /// <exception cref="ArgumentException">
    /// The mechanism name is not legal, or <paramref name="destination"/> is too small.
    /// </exception>
    public static int Write(Span<byte> destination, ReadOnlySpan<byte> mechanism, bool asServer)
    {
        if (mechanism.Length is 0 or > MaxMechanismLength || mechanism.ContainsAnyExcept(MechanismOctets))
        {
            throw new ArgumentException($"The name of a mechanism has 1 to {MaxMechanismLength} characters: capital letters, digits and -_.+ only.", nameof(mechanism));
        }

        if (destination.Length < Size)
        {
            throw new ArgumentException("A greeting needs 64 octets.", nameof(destination));
        }

        destination[..Size].Clear();
        destination[0] = 0xFF;
        destination[SignatureEnd] = 0x7F;
        destination[MajorOffset] = OwnMajor;
        destination[MinorOffset] = OwnMinor;
        mechanism.CopyTo(destination[MechanismOffset..]);
        destination[AsServerOffset] = asServer ? (byte)1 : (byte)0;
        return Size;
    }

    /// <summary>
    /// Whether the peer uses ZMTP/2.0 (RFC 15). Its revision, 1 or 2, is at the position of the major version of
    /// version 3. Returns false if the octets are incomplete.
    /// </summary>
    public static bool IsVersion2(ReadOnlySpan<byte> input)
        => input.Length >= VersionedSize && input[0] == 0xFF && input[SignatureEnd] == 0x7F && input[MajorOffset] is 1 or 2;

    private static ZmtpError Check(ReadOnlySpan<byte> input)
    {
        if (input.Length > 0 && input[0] != 0xFF)
        {
            return ZmtpError.GreetingNotZmtp;
        }

        if (input.Length > SignatureEnd && input[SignatureEnd] != 0x7F)
        {
            return ZmtpError.GreetingUnversioned;
        }

        if (input.Length > MajorOffset && input[MajorOffset] < OwnMajor)
        {
            return ZmtpError.VersionTooOld;
        }

        return input.Length >= MechanismOffset + MaxMechanismLength
            ? CheckMechanism(input.Slice(MechanismOffset, MaxMechanismLength))
            : ZmtpError.None;
    }

    private static ZmtpError CheckMechanism(ReadOnlySpan<byte> field)
    {
        int end = field.IndexOfAnyExcept(MechanismOctets);
        if (end == 0 || (end > 0 && field[end..].ContainsAnyExcept((byte)0)))
        {
            return ZmtpError.MechanismNameInvalid;
        }

        return ZmtpError.None;
    }
}
