using System.Formats.Asn1;
using System.Security.Cryptography.X509Certificates;

namespace Broker.Server.Tls;

/// <summary>The names in a certificate by which its owner may be known.</summary>
internal static class CertificateNames
{
    // The choices of GeneralName, RFC 5280 section 4.2.1.6.
    private const int Email = 1;
    private const int Dns = 2;
    private const int Uri = 6;

    /// <summary>The alternative names: e-mail addresses, then DNS names, then URIs. None of an extension that cannot be read.</summary>
    internal static IReadOnlyList<string> Alternative(X509Certificate2 certificate)
    {
        List<string> emails = [];
        List<string> hosts = [];
        List<string> uris = [];
        try
        {
            foreach (X509SubjectAlternativeNameExtension extension in certificate.Extensions.OfType<X509SubjectAlternativeNameExtension>())
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
