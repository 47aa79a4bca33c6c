using System.Diagnostics.CodeAnalysis;
using System.Formats.Asn1;
using System.Globalization;
using System.Text;

namespace Broker.Server;

/// <summary>
/// Converts distinguished names to keys that can be compared. Equal keys mean equal names. The comparison ignores the
/// case of attribute types. It also ignores the order of the parts, because tools write the parts in different orders.
/// It compares attribute values exactly.
/// </summary>
internal static class DistinguishedName
{
    private const string DomainComponent = "DC";

    // The short names of RFC 4514, section 3, and other common short names. Other attribute types keep their object
    // identifier.
    private static readonly Dictionary<string, string> ShortNames = new(StringComparer.Ordinal)
    {
        ["2.5.4.3"] = "CN",
        ["2.5.4.4"] = "SN",
        ["2.5.4.5"] = "SERIALNUMBER",
        ["2.5.4.6"] = "C",
        ["2.5.4.7"] = "L",
        ["2.5.4.8"] = "ST",
        ["2.5.4.9"] = "STREET",
        ["2.5.4.10"] = "O",
        ["2.5.4.11"] = "OU",
        ["2.5.4.17"] = "POSTALCODE",
        ["0.9.2342.19200300.100.1.1"] = "UID",
        ["0.9.2342.19200300.100.1.25"] = DomainComponent,
        ["1.2.840.113549.1.9.1"] = "EMAILADDRESS",
    };

    /// <summary>
    /// Creates the key of a name in text form (RFC 4514). Returns false if the text is not a distinguished name.
    /// </summary>
    internal static bool TryGetKey(string text, [NotNullWhen(true)] out string? key)
    {
        var name = new Builder();
        var attribute = new StringBuilder();
        int type = -1;
        int spaces = 0;
        key = null;
        for (int i = 0; i <= text.Length; i++)
        {
            char c = i < text.Length ? text[i] : ',';
            if (c == '=' && type < 0)
            {
                type = attribute.Length;
                spaces = 0;
            }
            else if (c is ',' or '+')
            {
                string value = type < 0 ? "" : attribute.ToString(type, attribute.Length - type - spaces);
                if (type <= 0 || value.Length == 0)
                {
                    return false;
                }

                name.Add(attribute.ToString(0, type).Trim().ToUpperInvariant(), value);
                attribute.Clear();
                type = -1;
                spaces = 0;
                if (c == ',')
                {
                    name.EndPart();
                }
            }
            else if (c == '\\')
            {
                if (!TryUnescape(text, ref i, attribute))
                {
                    return false;
                }

                spaces = 0;
            }
            else if (c != ' ' || attribute.Length > Math.Max(type, 0))
            {
                // Spaces around a value are ignored unless they are escaped.
                attribute.Append(c);
                spaces = c == ' ' ? spaces + 1 : 0;
            }
        }

        key = name.ToKey(withDomain: true);
        return true;
    }

    /// <summary>
    /// Creates the keys of a certificate's subject: the whole name, and the name without its domain components. Returns
    /// an empty list if the subject is malformed.
    /// </summary>
    internal static IReadOnlyList<string> KeysOf(byte[] subject)
    {
        var name = new Builder();
        try
        {
            AsnReader parts = new AsnReader(subject, AsnEncodingRules.DER).ReadSequence();
            while (parts.HasData)
            {
                AsnReader attributes = parts.ReadSetOf(skipSortOrderValidation: true);
                while (attributes.HasData)
                {
                    AsnReader attribute = attributes.ReadSequence();
                    string type = attribute.ReadObjectIdentifier();
                    name.Add(ShortNames.GetValueOrDefault(type, type), ReadText(attribute));
                }

                name.EndPart();
            }
        }
        catch (AsnContentException)
        {
            return [];
        }

        return name.IsEmpty ? [] : [name.ToKey(withDomain: true), name.ToKey(withDomain: false)];
    }

    private static string ReadText(AsnReader attribute)
    {
        Asn1Tag tag = attribute.PeekTag();
        return tag.TagClass == TagClass.Universal && (UniversalTagNumber)tag.TagValue is UniversalTagNumber.UTF8String
            or UniversalTagNumber.PrintableString or UniversalTagNumber.IA5String or UniversalTagNumber.T61String
            or UniversalTagNumber.BMPString or UniversalTagNumber.NumericString or UniversalTagNumber.VisibleString
            ? attribute.ReadCharacterString((UniversalTagNumber)tag.TagValue)
            : "#" + Convert.ToHexString(attribute.ReadEncodedValue().Span);
    }

    // Reads an escaped character such as \, or escaped UTF-8 bytes such as \C3\A9.
    private static bool TryUnescape(string text, ref int at, StringBuilder into)
    {
        if (at + 1 >= text.Length)
        {
            return false;
        }

        if (!char.IsAsciiHexDigit(text[at + 1]))
        {
            into.Append(text[++at]);
            return true;
        }

        var bytes = new List<byte>();
        int next = at;
        while (next + 2 < text.Length && text[next] == '\\'
            && char.IsAsciiHexDigit(text[next + 1]) && char.IsAsciiHexDigit(text[next + 2]))
        {
            ReadOnlySpan<char> digits = text.AsSpan(next + 1, 2);
            bytes.Add(byte.Parse(digits, NumberStyles.AllowHexSpecifier, CultureInfo.InvariantCulture));
            next += 3;
        }

        if (bytes.Count == 0)
        {
            return false;
        }

        at = next - 1;
        into.Append(Encoding.UTF8.GetString([.. bytes]));
        return true;
    }

    private sealed class Builder
    {
        private readonly List<(string Text, bool IsDomain)> _parts = [];
        private readonly List<(string Type, string Value)> _part = [];

        internal bool IsEmpty => _parts.Count == 0;

        internal void Add(string type, string value) => _part.Add((type, value));

        internal void EndPart()
        {
            // The key contains the lengths of types and values, so no value can look like two parts.
            IEnumerable<string> attributes = _part.Select(static a => string.Create(
                CultureInfo.InvariantCulture, $"{a.Type.Length}:{a.Type}{a.Value.Length}:{a.Value}"));
            string text = string.Concat(attributes.Order(StringComparer.Ordinal));
            text = string.Create(CultureInfo.InvariantCulture, $"{_part.Count}:{text}");
            _parts.Add((text, _part is [{ Type: DomainComponent }]));
            _part.Clear();
        }

        internal string ToKey(bool withDomain)
            => string.Concat(
                _parts.Where(p => withDomain || !p.IsDomain).Select(p => p.Text).Order(StringComparer.Ordinal));
    }
}
