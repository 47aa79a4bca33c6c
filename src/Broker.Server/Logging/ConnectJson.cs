using System.Buffers;
using System.Globalization;
using System.Text;
using System.Text.Json;

namespace Broker.Server;

/// <summary>
/// Reads texts of a CONNECT that are not valid Unicode, for example names in Latin-1. As in nats-server, each invalid
/// byte and each unpaired surrogate becomes the replacement character U+FFFD.
/// </summary>
internal static class ConnectJson
{
    private const int EscapeDigits = 4;

    /// <summary>Replaces the bytes that are not valid UTF-8. Valid UTF-8 is returned unchanged.</summary>
    internal static ReadOnlySpan<byte> Repair(ReadOnlySpan<byte> json)
    {
        if (System.Text.Unicode.Utf8.IsValid(json))
        {
            return json;
        }

        var repaired = new ArrayBufferWriter<byte>(json.Length);
        while (!json.IsEmpty)
        {
            bool isValid = Rune.DecodeFromUtf8(json, out Rune rune, out int length) == OperationStatus.Done;
            length = isValid ? length : 1;
            repaired.Advance(rune.EncodeToUtf8(repaired.GetSpan(EscapeDigits)));
            json = json[length..];
        }

        return repaired.WrittenSpan;
    }

    /// <summary>Reads the current string. The string may contain unpaired surrogates as escapes.</summary>
    /// <exception cref="InvalidOperationException">The current value is not a string.</exception>
    internal static string? Text(ref Utf8JsonReader reader)
    {
        try
        {
            return reader.GetString();
        }
        catch (InvalidOperationException) when (IsText(reader.TokenType))
        {
            return Unescape(reader.ValueSpan);
        }
    }

    private static bool IsText(JsonTokenType type) => type is JsonTokenType.String or JsonTokenType.PropertyName;

    // The JSON reader has checked the form of each escape, but not whether surrogates form pairs.
    private static string Unescape(ReadOnlySpan<byte> text)
    {
        var result = new StringBuilder();
        ReadOnlySpan<char> chars = Encoding.UTF8.GetString(text);
        for (int i = 0; i < chars.Length; i++)
        {
            if (chars[i] != '\\')
            {
                result.Append(chars[i]);
                continue;
            }

            i++;
            if (chars[i] == 'u')
            {
                result.Append((char)ushort.Parse(chars.Slice(i + 1, EscapeDigits), NumberStyles.AllowHexSpecifier, CultureInfo.InvariantCulture));
                i += EscapeDigits;
            }
            else
            {
                result.Append(chars[i] switch { 'n' => '\n', 'r' => '\r', 't' => '\t', 'b' => '\b', 'f' => '\f', var other => other });
            }
        }

        // The UTF-8 encoder replaces unpaired surrogates.
        return Encoding.UTF8.GetString(Encoding.UTF8.GetBytes(result.ToString()));
    }
}
