using System.Buffers.Text;
using System.Text.Json;
using Broker.Transport;

namespace Broker.Hosting;

/// <summary>Reads a JWT of the settings, or the file that has it. Messages never contain the JWT.</summary>
internal static class TokenText
{
    private const int MaxLength = 600 * 1024;
    private const string Begin = "eyJ";

    /// <summary>Returns the JWT.</summary>
    /// <param name="key">The path of the setting, for messages.</param>
    /// <param name="text">The JWT, or the path of its file.</param>
    /// <param name="resolve">Makes a path absolute.</param>
    /// <exception cref="ArgumentException">The file cannot be read.</exception>
    internal static string Read(string key, string text, Func<string?, string?> resolve)
    {
        if (text.StartsWith(Begin, StringComparison.Ordinal))
        {
            return text;
        }

        try
        {
            return BoundedFile.ReadText(resolve(text)!, MaxLength).Trim();
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException or ArgumentException or NotSupportedException)
        {
            throw new ArgumentException($"{key}: it is no JWT, and not a file that can be read: {e.Message}", e);
        }
    }

    /// <summary>Returns the public key that a JWT is for. The server verifies the JWT later.</summary>
    /// <exception cref="ArgumentException">The text is not a JWT.</exception>
    internal static string SubjectOf(string key, string jwt)
    {
        try
        {
            using var claims = JsonDocument.Parse(Base64Url.DecodeFromChars(jwt.Split('.')[1]));
            return claims.RootElement.GetProperty("sub").GetString() ?? throw new FormatException();
        }
        catch (Exception e) when (e is FormatException or JsonException or IndexOutOfRangeException or InvalidOperationException or KeyNotFoundException)
        {
            throw new ArgumentException($"{key}: it is not the JWT of an account.", e);
        }
    }
}
