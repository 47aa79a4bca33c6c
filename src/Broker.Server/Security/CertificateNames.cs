using System.Formats.Asn1;
using System.Security.Cryptography.X509Certificates;

namespace Broker.Server;

/// <summary>Reads the names in a certificate that can identify a user.</summary>
internal static class CertificateNames
{
    // The tags of the GeneralName choices (RFC 5280, section 4.2.1.6).
    private const int Email = 1;
    private const int Dns = 2;
    private const int Uri = 6;

    /// <summary>
    /// Reads the alternative names: e-mail addresses, then DNS names, then URIs. Returns an empty list if an extension
    /// is malformed.
    /// </summary>
    internal static IReadOnlyList<string> Alternative(X509Certificate2 certificate)
    {
        List<string> emails = [];
        List<string> hosts = [];
        List<string> uris = [];
        try
        {
            IEnumerable<X509SubjectAlternativeNameExtension> extensions =
                certificate.Extensions.OfType<X509SubjectAlternativeNameExtension>();
            foreach (X509SubjectAlternativeNameExtension extension in extensions)
            {
                AsnReader names = new AsnReader(extension.RawData, AsnEncodingRules.DER).ReadSequence();
                while (names.HasData)
                {
                    Asn1Tag tag = names.PeekTag();
                    List<string>? list = tag.TagClass != TagClass.ContextSpecific ? null : tag.TagValue switch
                    {
                        Email => emails,
                        Dns => hosts,
                        Uri => uris,
                        _ => null,
                    };
                    if (list is null)
                    {
                        names.ReadEncodedValue();
                    }
                    else
                    {
                        list.Add(names.ReadCharacterString(UniversalTagNumber.IA5String, tag));
                    }
                }
            }
        }
        catch (AsnContentException)
        {
            return [];
        }

        return [.. emails, .. hosts, .. uris];
    }
}
