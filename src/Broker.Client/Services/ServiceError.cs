using System.Globalization;
using System.Text;
using Broker.Protocol;

namespace Broker.Client;

/// <summary>The error in the reply of a service.</summary>
/// <param name="Code">The code. 0 if the service sent none that is a number.</param>
/// <param name="Description">The text.</param>
public readonly record struct ServiceError(int Code, string Description)
{
    internal const string DescriptionHeader = "Nats-Service-Error";
    internal const string CodeHeader = "Nats-Service-Error-Code";

    /// <summary>Returns the code and the text.</summary>
    public override string ToString() => string.Create(CultureInfo.InvariantCulture, $"{Code}:{Description}");

    /// <summary>Returns the error of a reply, or null if the reply is none.</summary>
    internal static ServiceError? Of(ReadOnlySpan<byte> headers)
    {
        if (headers.IsEmpty)
        {
            return null;
        }

        bool hasCode = HeaderBlock.TryGet(headers, "Nats-Service-Error-Code"u8, out ReadOnlySpan<byte> code);
        bool hasText = HeaderBlock.TryGet(headers, "Nats-Service-Error"u8, out ReadOnlySpan<byte> text);
        if (!hasCode && !hasText)
        {
            return null;
        }

        return new ServiceError(
            int.TryParse(code, NumberStyles.None, CultureInfo.InvariantCulture, out int number) ? number : 0, Encoding.UTF8.GetString(text));
    }
}
