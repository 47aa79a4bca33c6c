using System.Buffers;
using System.Globalization;
using System.Text;
using System.Text.Json;
using System.Text.Unicode;

namespace Broker.Cli.Shell;

/// <summary>Bytes of messages as text, and the other way round.</summary>
internal static class BodyText
{
    /// <summary>Text as it is; what a terminal would obey, and what is no UTF-8, is escaped as <c>\n</c> or <c>\x1b</c>.</summary>
    public static string Show(ReadOnlySpan<byte> bytes)
    {
        var text = new StringBuilder(bytes.Length);
        while (!bytes.IsEmpty)
        {
            bool isText = Rune.DecodeFromUtf8(bytes, out Rune rune, out int length) == OperationStatus.Done;
            if (isText && !IsControl(rune))
            {
                text.Append(rune);
            }
            else
            {
                Escape(bytes[..length], text);
            }

            bytes = bytes[length..];
        }

        return text.ToString();
    }

    /// <summary>As a JSON member: text under the name, or what is no UTF-8 in base 64 under the name with <c>_base64</c> behind it.</summary>
    public static void WriteJson(Utf8JsonWriter json, string name, ReadOnlySpan<byte> bytes)
    {
        if (Utf8.IsValid(bytes))
        {
            json.WriteString(name, bytes);
        }
        else
        {
            json.WriteBase64String(name + "_base64", bytes);
        }
    }

    /// <summary>The bytes of an argument, which may be hexadecimal digits.</summary>
    /// <exception cref="UsageException">They are not.</exception>
    public static byte[] Parse(string text, bool isHex)
    {
        if (!isHex)
        {
            return Encoding.UTF8.GetBytes(text);
        }

        try
        {
            return Convert.FromHexString(text);
        }
        catch (FormatException)
        {
            throw new UsageException($"with --hex, bytes are pairs of hexadecimal digits such as 00ff, not \"{Show(Encoding.UTF8.GetBytes(text))}\"");
        }
    }

    // The formats change the direction of what follows, which is as good as another text.
    private static bool IsControl(Rune rune)
        => Rune.IsControl(rune) || Rune.GetUnicodeCategory(rune) is UnicodeCategory.Format or UnicodeCategory.LineSeparator or UnicodeCategory.ParagraphSeparator;

    private static void Escape(ReadOnlySpan<byte> bytes, StringBuilder text)
    {
        foreach (byte value in bytes)
        {
            switch (value)
            {
                case (byte)'\n':
                    text.Append("\\n");
                    break;
                case (byte)'\r':
                    text.Append("\\r");
                    break;
                case (byte)'\t':
                    text.Append("\\t");
                    break;
                default:
                    text.Append(CultureInfo.InvariantCulture, $"\\x{value:x2}");
                    break;
            }
        }
    }
}
