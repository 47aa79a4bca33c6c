namespace Broker.ZeroMq;

/// <summary>The sizes of the commands of RFC 26 in octets, without the names of the commands.</summary>
internal static class CurveLayout
{
    internal const byte MajorVersion = 1;
    internal const byte MinorVersion = 0;

    // The padding makes HELLO at least as large as WELCOME, so that an attacker cannot use the server to amplify a
    // flood.
    internal const int HelloPadding = 72;
    internal const int HelloSignature = 64;
    internal const int HelloData =
        2 + HelloPadding + CurveBoxes.KeySize + CurveNonce.ShortSize + CurveBoxes.TagSize + HelloSignature;

    internal const int CookieText = 2 * CurveBoxes.KeySize;
    internal const int Cookie = CurveNonce.LongSize + CurveBoxes.TagSize + CookieText;
    internal const int WelcomeText = CurveBoxes.KeySize + Cookie;
    internal const int WelcomeData = CurveNonce.LongSize + CurveBoxes.TagSize + WelcomeText;

    internal const int VouchText = 2 * CurveBoxes.KeySize;
    internal const int Vouch = CurveNonce.LongSize + CurveBoxes.TagSize + VouchText;

    /// <summary>The size of the text in INITIATE's box before the metadata.</summary>
    internal const int InitiateFixedText = CurveBoxes.KeySize + Vouch;
    internal const int InitiateHead = Cookie + CurveNonce.ShortSize;
    internal const int InitiateFixedData = InitiateHead + CurveBoxes.TagSize + InitiateFixedText;

    internal const int ReadyFixedData = CurveNonce.ShortSize + CurveBoxes.TagSize;
}
