using System.Buffers;
using System.Globalization;
using System.Text;
using System.Text.Json;
using System.Text.Unicode;

namespace Broker.Cli.Shell;

/// <summary>Converts bytes of messages to text for display, and arguments to bytes.</summary>
internal static class BodyText
{
    /// <summary>
    /// Returns the bytes as text. Control characters and invalid UTF-8 are escaped, such as <c>\n</c> or <c>\x1b</c>,
    /// so that they cannot control the terminal.
    /// </summary>
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

    /// <summary>
    /// Writes the bytes as a JSON member. Valid UTF-8 becomes a string with the given name. Other bytes are in base 64,
    /// with <c>_base64</c> added to the name.
    /// </summary>
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

    /// <summary>Returns the bytes of an argument: its UTF-8, or the bytes of its hexadecimal digits.</summary>
    /// <exception cref="UsageException">The argument must consist of pairs of hexadecimal digits, but it does
    /// not.</exception>
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
            throw new UsageException(
                $"with --hex, bytes must be pairs of hexadecimal digits such as 00ff, not \"{Show(Encoding.UTF8.GetBytes(text))}\"");
        }
    }

    // Format characters can reverse the direction of the text after them, so that a user would read another text.
    private static bool IsControl(Rune rune)
        => Rune.IsControl(rune)
            || Rune.GetUnicodeCategory(rune)
                is UnicodeCategory.Format or UnicodeCategory.LineSeparator or UnicodeCategory.ParagraphSeparator;

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
